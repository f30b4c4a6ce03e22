module shakedown.dev/go

go 1.23
