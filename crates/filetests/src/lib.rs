//! File tests: the first line of each test file names its command
