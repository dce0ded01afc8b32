-- Source: blocks in each other.
@@3000{do }@@@@3000{end }@@ ---! "nest"
