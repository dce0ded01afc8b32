-- Source: functions in each other.
@@500{local function f() }@@ @@500{end }@@ ---! "nest"
