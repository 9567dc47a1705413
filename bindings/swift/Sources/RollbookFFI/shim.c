// SwiftPM builds a target of C from sources: the header alone would be none.
