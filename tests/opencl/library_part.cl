int shared_function(int x) { return x * x + 1; }
