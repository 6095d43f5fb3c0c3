module runner

go 1.19

require waxwing v0.0.0

replace waxwing => ../../../../clients/go
