-- Source: more locals than a function has registers.
@@201{local x = 1 }@@ ---! file "more than 200 locals"
