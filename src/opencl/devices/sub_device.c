/* SPDX-License-Identifier: MIT */
/* Sub-devices: so many threads of a device. They share its compiled code, its memory and its worker threads;
 * what is enqueued to them runs on at most as many threads as they have compute units.
 */
#include "../objects.h"

#include <stdlib.h>
#include <string.h>

static void
destroy_sub_device(void *object)
{
    cl_device_id device = object;
    free(device->partition);
    lw_cl_drop(device->parent);
}

/* `words` of the properties that made it, of which the last one is a zero. */
static cl_device_id
create_sub_device(cl_device_id parent, cl_uint units, const cl_device_partition_property *partition,
                  size_t words)
{
    cl_device_id device = lw_cl_new(LW_CL_DEVICE, sizeof *device, destroy_sub_device);
    if (!device)
        return NULL;
    struct lw_cl_object object = device->object;
    *device = *parent;
    device->object = object;
    device->parent = parent;
    lw_cl_hold(parent);
    device->units = units;
    device->partition_words = words;
    device->partition = calloc(words, sizeof *device->partition);
    if (device->partition) {
        memcpy(device->partition, partition, (words - 1) * sizeof *device->partition);
        return device;
    }
    lw_cl_drop(device);
    return NULL;
}

/* ---- How the units are dealt out ---- */

struct plan {
    const cl_device_partition_property *counts; /* by sub-device; NULL: all have `each` */
    cl_uint each, count;
    size_t words; /* of the properties, the zero at the end included */
};

static cl_int
plan_equal_parts(const struct _cl_device_id *device, const cl_device_partition_property *properties,
                 struct plan *plan)
{
    if (properties[1] <= 0 || properties[2] != 0)
        return CL_INVALID_VALUE;
    if ((cl_ulong)properties[1] >= device->units)
        return CL_DEVICE_PARTITION_FAILED; /* nothing would be parted */
    plan->each = (cl_uint)properties[1];
    plan->count = device->units / plan->each;
    plan->words = 3;
    return CL_SUCCESS;
}

/* The list's end is the properties' too: SYCL's runtime sends one zero where the specification has two. */
static cl_int
plan_counts(const struct _cl_device_id *device, const cl_device_partition_property *properties,
            struct plan *plan)
{
    cl_ulong total = 0;
    plan->counts = properties + 1;
    while (plan->counts[plan->count] != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END) {
        cl_device_partition_property units = plan->counts[plan->count];
        if (units < 0 || (cl_ulong)units > device->units || (total += (cl_ulong)units) > device->units)
            return CL_INVALID_DEVICE_PARTITION_COUNT;
        plan->count++;
    }
    plan->words = plan->count + 3;
    return plan->count ? CL_SUCCESS : CL_INVALID_VALUE;
}

static cl_int
make_plan(const struct _cl_device_id *device, const cl_device_partition_property *properties,
          struct plan *plan)
{
    cl_int error;
    memset(plan, 0, sizeof *plan);
    if (!properties)
        return CL_INVALID_VALUE;
    switch (properties[0]) {
    case CL_DEVICE_PARTITION_EQUALLY: error = plan_equal_parts(device, properties, plan); break;
    case CL_DEVICE_PARTITION_BY_COUNTS: error = plan_counts(device, properties, plan); break;
    default: return CL_INVALID_VALUE; /* by affinity domain too: threads are bound to no processor */
    }
    return error == CL_SUCCESS && device->units < 2 ? CL_DEVICE_PARTITION_FAILED : error;
}

/* ---- Entry points ---- */

CL_API_ENTRY cl_int CL_API_CALL
clCreateSubDevices(cl_device_id device, const cl_device_partition_property *properties, cl_uint num_devices,
                   cl_device_id *devices, cl_uint *num_devices_ret)
{
    struct plan plan;
    if (!lw_cl_is(device, LW_CL_DEVICE))
        return CL_INVALID_DEVICE;
    cl_int error = make_plan(device, properties, &plan);
    if (error)
        return error;
    if (devices && num_devices < plan.count)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; devices && i < plan.count; i++) {
        devices[i] = create_sub_device(device, plan.counts ? (cl_uint)plan.counts[i] : plan.each, properties,
                                       plan.words);
        if (devices[i])
            continue;
        while (i > 0)
            lw_cl_release(devices[--i], LW_CL_DEVICE);
        return CL_OUT_OF_HOST_MEMORY;
    }
    if (num_devices_ret)
        *num_devices_ret = plan.count;
    return CL_SUCCESS;
}

/* Of cl_ext_device_fission, which is not listed. */
CL_API_ENTRY cl_int CL_API_CALL
clCreateSubDevicesEXT(cl_device_id device, const cl_device_partition_property_ext *properties,
                      cl_uint num_entries, cl_device_id *devices, cl_uint *num_devices)
{
    (void)properties, (void)num_entries, (void)devices, (void)num_devices;
    return lw_cl_is(device, LW_CL_DEVICE) ? CL_INVALID_VALUE : CL_INVALID_DEVICE;
}

/* A root device is not counted. */
CL_API_ENTRY cl_int CL_API_CALL
clRetainDevice(cl_device_id device)
{
    if (lw_cl_is(device, LW_CL_DEVICE) && !device->parent)
        return CL_SUCCESS;
    return lw_cl_retain(device, LW_CL_DEVICE);
}

CL_API_ENTRY cl_int CL_API_CALL
clReleaseDevice(cl_device_id device)
{
    if (lw_cl_is(device, LW_CL_DEVICE) && !device->parent)
        return CL_SUCCESS;
    return lw_cl_release(device, LW_CL_DEVICE);
}

/* ---- What clGetDeviceInfo asks ---- */

cl_int
lw_cl_answer_partition(cl_device_id device, cl_device_info name, const struct lw_cl_answer *to)
{
    static const cl_device_partition_property ways[] = {CL_DEVICE_PARTITION_EQUALLY,
                                                        CL_DEVICE_PARTITION_BY_COUNTS};
    static const cl_device_partition_property none[] = {0};
    switch (name) {
    case CL_DEVICE_MAX_COMPUTE_UNITS: return lw_cl_answer_uint(to, device->units);
    case CL_DEVICE_REFERENCE_COUNT: return lw_cl_answer_uint(to, device->parent ? lw_cl_refs(device) : 1);
    case CL_DEVICE_PARENT_DEVICE: return lw_cl_answer_pointer(to, device->parent);
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES: return lw_cl_answer_uint(to, device->units);
    case CL_DEVICE_PARTITION_AFFINITY_DOMAIN: return lw_cl_answer_ulong(to, 0);
    case CL_DEVICE_PARTITION_PROPERTIES:
        return device->units < 2 ? lw_cl_answer_bytes(to, none, sizeof none)
                                 : lw_cl_answer_bytes(to, ways, sizeof ways);
    case CL_DEVICE_PARTITION_TYPE:
        return lw_cl_answer_bytes(to, device->partition, device->partition_words * sizeof *device->partition);
    default: return CL_INVALID_VALUE;
    }
}
