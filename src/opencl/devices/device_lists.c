/* SPDX-License-Identifier: MIT */
/* The lists that the device promises: extensions, SPIR-V versions, OpenCL C versions and features.
 *
 * Only what works is listed.
 */
#include "../objects.h"
#include "../../../spirv/promises.h"

#include <string.h>

/* X(name, major version, minor) */
#define EXTENSIONS(X) \
    X(cl_khr_icd, 2, 0) \
    X(cl_khr_il_program, 1, 0) \
    X(cl_khr_extended_versioning, 1, 0) \
    X(cl_khr_create_command_queue, 1, 0) \
    X(cl_khr_byte_addressable_store, 1, 0) \
    X(cl_khr_global_int32_base_atomics, 1, 0) \
    X(cl_khr_global_int32_extended_atomics, 1, 0) \
    X(cl_khr_local_int32_base_atomics, 1, 0) \
    X(cl_khr_local_int32_extended_atomics, 1, 0) \
    X(cl_khr_int64_base_atomics, 1, 0) \
    X(cl_khr_int64_extended_atomics, 1, 0) \
    X(cl_khr_fp16, 1, 0) \
    X(cl_khr_fp64, 1, 0) \
    X(cl_khr_extended_bit_ops, 1, 0) \
    X(cl_khr_expect_assume, 1, 0) \
    X(cl_khr_subgroups, 1, 0) \
    X(cl_khr_subgroup_extended_types, 1, 0) \
    X(cl_khr_subgroup_non_uniform_vote, 1, 0) \
    X(cl_khr_subgroup_ballot, 1, 0) \
    X(cl_khr_subgroup_non_uniform_arithmetic, 1, 0) \
    X(cl_khr_subgroup_shuffle, 1, 0) \
    X(cl_khr_subgroup_shuffle_relative, 1, 0) \
    X(cl_khr_subgroup_clustered_reduce, 1, 0) \
    X(cl_khr_subgroup_rotate, 1, 0) \
    X(cl_khr_work_group_uniform_arithmetic, 1, 0) \
    X(cl_khr_suggested_local_work_size, 1, 0) \
    X(cl_khr_device_uuid, 1, 0) \
    X(cl_khr_integer_dot_product, 2, 0) \
    X(cl_khr_spirv_queries, 1, 0) \
    X(cl_khr_priority_hints, 1, 0) \
    X(cl_khr_throttle_hints, 1, 0) \
    X(cl_khr_spirv_no_integer_wrap_decoration, 1, 0) \
    X(cl_khr_spirv_linkonce_odr, 1, 0) \
    X(cl_ext_float_atomics, 1, 0) \
    X(cl_ext_cxx_for_opencl, 1, 0) \
    X(cl_intel_required_subgroup_size, 1, 0) \
    X(cl_intel_subgroups, 1, 0) \
    X(cl_intel_subgroups_char, 1, 0) \
    X(cl_intel_subgroups_short, 1, 0) \
    X(cl_intel_subgroups_long, 1, 0) \
    X(cl_intel_subgroup_local_block_io, 1, 0) \
    X(cl_intel_spirv_subgroups, 1, 0) \
    X(cl_intel_unified_shared_memory, 1, 0)

/* Of a device with images. */
#define IMAGE_EXTENSIONS(X) \
    X(cl_khr_3d_image_writes, 1, 0) \
    X(cl_khr_depth_images, 1, 0) \
    X(cl_khr_image2d_from_buffer, 1, 0) \
    X(cl_khr_srgb_image_writes, 1, 0)

#define TEXT(name, major, minor) #name " "
#define ROW(name, major, minor) {CL_MAKE_VERSION(major, minor, 0), #name},

/* What comes with images is the end of both lists. */
static const char extension_names[] = EXTENSIONS(TEXT) IMAGE_EXTENSIONS(TEXT);
static const char extension_names_without_images[] = EXTENSIONS(TEXT);
static const cl_name_version extensions[] = {EXTENSIONS(ROW) IMAGE_EXTENSIONS(ROW)};

#define IMAGE_EXTENSION_COUNT (sizeof(cl_name_version[]){IMAGE_EXTENSIONS(ROW)} / sizeof(cl_name_version))
#define IMAGE_FEATURE_COUNT 3

static const cl_name_version il_versions[] = {
    {CL_MAKE_VERSION(1, 4, 0), "SPIR-V"}, {CL_MAKE_VERSION(1, 3, 0), "SPIR-V"},
    {CL_MAKE_VERSION(1, 2, 0), "SPIR-V"}, {CL_MAKE_VERSION(1, 1, 0), "SPIR-V"},
    {CL_MAKE_VERSION(1, 0, 0), "SPIR-V"}, {CL_MAKE_VERSION(1, 5, 0), "SPIR-V"},
    {CL_MAKE_VERSION(1, 6, 0), "SPIR-V"},
};

static const cl_name_version c_versions[] = {
    {CL_MAKE_VERSION(1, 0, 0), "OpenCL C"},
    {CL_MAKE_VERSION(1, 1, 0), "OpenCL C"},
    {CL_MAKE_VERSION(1, 2, 0), "OpenCL C"},
    {CL_MAKE_VERSION(2, 0, 0), "OpenCL C"},
    {CL_MAKE_VERSION(3, 0, 0), "OpenCL C"},
    {CL_MAKE_VERSION(3, 1, 0), "OpenCL C"},
};

static const cl_name_version features[] = {
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_atomic_order_acq_rel"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_atomic_order_seq_cst"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_atomic_scope_device"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_atomic_scope_all_devices"},
    {CL_MAKE_VERSION(1, 0, 0), "__opencl_c_ext_fp16_global_atomic_load_store"},
    {CL_MAKE_VERSION(1, 0, 0), "__opencl_c_ext_fp16_local_atomic_load_store"},
    {CL_MAKE_VERSION(1, 0, 0), "__opencl_c_ext_fp16_global_atomic_add"},
    {CL_MAKE_VERSION(1, 0, 0), "__opencl_c_ext_fp16_local_atomic_add"},
    {CL_MAKE_VERSION(1, 0, 0), "__opencl_c_ext_fp16_global_atomic_min_max"},
    {CL_MAKE_VERSION(1, 0, 0), "__opencl_c_ext_fp16_local_atomic_min_max"},
    {CL_MAKE_VERSION(1, 0, 0), "__opencl_c_ext_fp32_global_atomic_add"},
    {CL_MAKE_VERSION(1, 0, 0), "__opencl_c_ext_fp32_local_atomic_add"},
    {CL_MAKE_VERSION(1, 0, 0), "__opencl_c_ext_fp32_global_atomic_min_max"},
    {CL_MAKE_VERSION(1, 0, 0), "__opencl_c_ext_fp32_local_atomic_min_max"},
    {CL_MAKE_VERSION(1, 0, 0), "__opencl_c_ext_fp64_global_atomic_add"},
    {CL_MAKE_VERSION(1, 0, 0), "__opencl_c_ext_fp64_local_atomic_add"},
    {CL_MAKE_VERSION(1, 0, 0), "__opencl_c_ext_fp64_global_atomic_min_max"},
    {CL_MAKE_VERSION(1, 0, 0), "__opencl_c_ext_fp64_local_atomic_min_max"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_device_enqueue"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_fp64"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_generic_address_space"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_int64"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_integer_dot_product_input_4x8bit"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_integer_dot_product_input_4x8bit_packed"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_pipes"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_program_scope_global_variables"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_subgroups"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_work_group_collective_functions"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_3d_image_writes"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_images"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_read_write_images"},
};

const char *
lw_cl_extensions(const struct _cl_device_id *device)
{
    return lw_cl_has_images(device) ? extension_names : extension_names_without_images;
}

static size_t
extension_count(const struct _cl_device_id *device)
{
    return sizeof extensions / sizeof *extensions - (lw_cl_has_images(device) ? 0 : IMAGE_EXTENSION_COUNT);
}

const char *
lw_cl_extension(const struct _cl_device_id *device, size_t index)
{
    return index < extension_count(device) ? extensions[index].name : NULL;
}

static size_t
feature_count(const struct _cl_device_id *device)
{
    return sizeof features / sizeof *features - (lw_cl_has_images(device) ? 0 : IMAGE_FEATURE_COUNT);
}

const char *
lw_cl_feature(const struct _cl_device_id *device, size_t index)
{
    return index < feature_count(device) ? features[index].name : NULL;
}

cl_int
lw_cl_answer_extensions(const struct lw_cl_answer *to, const struct _cl_device_id *device)
{
    return lw_cl_answer_bytes(to, extensions, extension_count(device) * sizeof *extensions);
}

cl_int
lw_cl_answer_list(const struct _cl_device_id *device, const struct lw_cl_answer *to, cl_device_info name)
{
    static const size_t sub_group_sizes[] = {4, 8, 16, 32, 64};
    size_t count;
    const void *list;
    switch (name) {
    case CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR:
        list = lw_promised_instruction_sets(&count);
        return lw_cl_answer_bytes(to, list, count * sizeof(const char *));
    case CL_DEVICE_SPIRV_EXTENSIONS_KHR:
        list = lw_promised_extensions(&count);
        return lw_cl_answer_bytes(to, list, count * sizeof(const char *));
    case CL_DEVICE_SPIRV_CAPABILITIES_KHR:
        list = lw_promised_capabilities(&count);
        return lw_cl_answer_bytes(to, list, count * sizeof(cl_uint));
    case CL_DEVICE_ILS_WITH_VERSION: return lw_cl_answer_bytes(to, il_versions, sizeof il_versions);
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS: return lw_cl_answer_bytes(to, c_versions, sizeof c_versions);
    case CL_DEVICE_OPENCL_C_FEATURES:
        return lw_cl_answer_bytes(to, features, feature_count(device) * sizeof *features);
    case CL_DEVICE_SUB_GROUP_SIZES_INTEL:
        return lw_cl_answer_bytes(to, sub_group_sizes, sizeof sub_group_sizes);
    default: return CL_INVALID_VALUE;
    }
}
