"""An independent reading of the bleota protocol, used to make and to check the test vectors."""
