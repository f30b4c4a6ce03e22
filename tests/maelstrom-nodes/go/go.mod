module shakedown.example/maelstrom-nodes

go 1.21
