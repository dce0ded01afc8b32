-- Source: jumps into blocks, over locals, to labels that are there twice or not at all.
goto nowhere ---! "nowhere"
