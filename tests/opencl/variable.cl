/* A variable for the host, by name. */
global int numbers[4] = {1, 2, 3, 4};
kernel void get(global int *out) { *out = numbers[2]; }
