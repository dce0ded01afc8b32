-- Source: break without a loop.
break ---! "break"
