module waxwing

go 1.19
