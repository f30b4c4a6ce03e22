// Nothing is here. A package with a file in assembly may declare a function whose body is elsewhere (raft35.go).
