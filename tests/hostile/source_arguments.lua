-- Source: more arguments than there are registers.
print(@@300{1, }@@1) ---! file "more than 200 locals"
