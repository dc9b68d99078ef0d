module sum

go 1.21
