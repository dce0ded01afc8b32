-- Source: one label twice.
::here:: ::here:: ---! "here"
