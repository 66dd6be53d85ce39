extern int shared_function(int x);
kernel void linked(global int *out) { out[get_global_id(0)] = shared_function((int)get_global_id(0)); }
