//! The command line: one file per command. The only place with files, stdout, environment and exit codes.
