# SPDX-License-Identifier: MIT
"""What PoCL's remote daemon (pocld) asks of the platform behind it, by name, through pyopencl: queries,
queues and
events with profiling, arguments' info, binaries, headers, compile and link, memory. Argument 1: a module of
SPIR-V. The daemon itself is in no Debian package and not run."""
import os
import sys
import tempfile
import threading
import warnings

import numpy as np
import pyopencl as cl

from harness import check, equal, finish

warnings.simplefilter('ignore')
device = cl.get_platforms()[0].get_devices()[0]
assert 'Lanewise' in device.platform.name, device.platform.name
context = cl.Context(device.platform.get_devices())
profiled = cl.CommandQueue(context, device, cl.command_queue_properties.PROFILING_ENABLE)
SOURCE = '''
kernel void twice(global const int *in, global int *out, const uint n, local float *room)
{
    if (get_global_id(0) < n) out[get_global_id(0)] = 2 * in[get_global_id(0)];
}
kernel void other(global int *out) { out[get_global_id(0)] = 7; }
'''
data = np.arange(256, dtype=np.int32)
flags = cl.mem_flags


def buffers():
    return (cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=data),
            cl.Buffer(context, flags.READ_WRITE, data.nbytes))


def run(program, queue=profiled, wait=None):
    a, b = buffers()
    event = program.twice(queue, (256,), (64,), a, b, np.uint32(256), cl.LocalMemory(16), wait_for=wait)
    out = np.empty_like(data)
    cl.enqueue_copy(queue, out, b, wait_for=[event])
    equal(out, 2 * data)
    return event


@check('device queries')
def queries():
    for name in '''NAME VENDOR VENDOR_ID VERSION DRIVER_VERSION PROFILE TYPE OPENCL_C_VERSION
            EXTENSIONS IL_VERSION MAX_COMPUTE_UNITS MAX_WORK_GROUP_SIZE MAX_WORK_ITEM_DIMENSIONS
            MAX_WORK_ITEM_SIZES MAX_CLOCK_FREQUENCY PREFERRED_VECTOR_WIDTH_CHAR
            PREFERRED_VECTOR_WIDTH_SHORT PREFERRED_VECTOR_WIDTH_INT PREFERRED_VECTOR_WIDTH_LONG
            PREFERRED_VECTOR_WIDTH_FLOAT PREFERRED_VECTOR_WIDTH_DOUBLE PREFERRED_VECTOR_WIDTH_HALF
            NATIVE_VECTOR_WIDTH_CHAR NATIVE_VECTOR_WIDTH_SHORT NATIVE_VECTOR_WIDTH_INT
            NATIVE_VECTOR_WIDTH_LONG NATIVE_VECTOR_WIDTH_FLOAT NATIVE_VECTOR_WIDTH_DOUBLE
            NATIVE_VECTOR_WIDTH_HALF SINGLE_FP_CONFIG DOUBLE_FP_CONFIG GLOBAL_MEM_SIZE
            GLOBAL_MEM_CACHE_SIZE GLOBAL_MEM_CACHE_TYPE GLOBAL_MEM_CACHELINE_SIZE MAX_MEM_ALLOC_SIZE
            LOCAL_MEM_SIZE LOCAL_MEM_TYPE MAX_CONSTANT_ARGS MAX_CONSTANT_BUFFER_SIZE MAX_PARAMETER_SIZE
            MEM_BASE_ADDR_ALIGN IMAGE_SUPPORT IMAGE2D_MAX_WIDTH IMAGE2D_MAX_HEIGHT IMAGE3D_MAX_WIDTH
            IMAGE3D_MAX_HEIGHT IMAGE3D_MAX_DEPTH IMAGE_MAX_BUFFER_SIZE IMAGE_MAX_ARRAY_SIZE
            MAX_READ_IMAGE_ARGS MAX_WRITE_IMAGE_ARGS MAX_SAMPLERS MAX_NUM_SUB_GROUPS QUEUE_PROPERTIES
            SVM_CAPABILITIES BUILT_IN_KERNELS AVAILABLE COMPILER_AVAILABLE LINKER_AVAILABLE
            EXECUTION_CAPABILITIES ENDIAN_LITTLE ERROR_CORRECTION_SUPPORT PROFILING_TIMER_RESOLUTION
            ADDRESS_BITS PARTITION_MAX_SUB_DEVICES'''.split():
        device.get_info(getattr(cl.device_info, name))


@check('profiled queues')
def profiling():
    event = run(cl.Program(context, SOURCE).build())
    event.wait()
    stamps = [getattr(event.profile, name) for name in ('queued', 'submit', 'start', 'end')]
    assert stamps == sorted(stamps) and stamps[0] > 0, stamps
    assert event.command_execution_status == cl.command_execution_status.COMPLETE


@check('user events and wait lists across threads and queues')
def events():
    program, gate = cl.Program(context, SOURCE).build(), cl.UserEvent(context)
    second = cl.CommandQueue(context, device)
    marker = cl.enqueue_marker(second, wait_for=[gate])
    second.flush()
    done = []
    thread = threading.Thread(target=lambda: done.append(run(program, profiled, [marker])))
    thread.start()
    thread.join(0.2)
    assert thread.is_alive() and not done
    gate.set_status(cl.command_execution_status.COMPLETE)
    thread.join(60)
    assert done, 'the kernel does not run'


@check('arguments of source')
def argument_info():
    kernel = cl.Program(context, SOURCE).build(['-cl-kernel-arg-info']).twice
    info = cl.kernel_arg_info
    told = [tuple(kernel.get_arg_info(i, k) for k in (info.NAME, info.TYPE_NAME, info.ADDRESS_QUALIFIER))
            for i in range(4)]
    space = cl.kernel_arg_address_qualifier
    assert told == [('in', 'int*', space.GLOBAL), ('out', 'int*', space.GLOBAL), ('n', 'uint', space.PRIVATE),
                    ('room', 'float*', space.LOCAL)], told


@check('IL: builds, and arguments\' info')
def il():
    with open(sys.argv[1], 'rb') as file:
        program = cl.Program(context, file.read()).build()
    for kernel in program.all_kernels():
        for i in range(kernel.num_args):
            for key in ('ADDRESS_QUALIFIER', 'ACCESS_QUALIFIER', 'TYPE_NAME'):
                kernel.get_arg_info(i, getattr(cl.kernel_arg_info, key))


@check('one binary for each device, which builds again')
def binaries():
    program = cl.Program(context, SOURCE).build()
    made = program.get_info(cl.program_info.BINARIES)
    assert len(made) == len(program.devices) and all(made)
    again = cl.Program(context, program.devices, made).build()
    run(again)
    assert sorted(k.function_name for k in again.all_kernels()) == ['other', 'twice']


@check('headers of a folder by -I')
def folders():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'two.h'), 'w') as file:
            file.write('#define FACTOR 2\n')
        source = '#include "two.h"\n' + SOURCE.replace('2 * in', 'FACTOR * in')
        run(cl.Program(context, source).build(['-I', folder]))


@check('compile, with headers as programs, and link')
def linking():
    header = cl.Program(context, 'int twice_of(int x);\n')
    one = cl.Program(context, '#include "far/own.h"\n' + SOURCE.replace('2 * in[get_global_id(0)]',
                                                                        'twice_of(in[get_global_id(0)])'))
    one.compile(headers=[('far/own.h', header)])
    two = cl.Program(context, 'int twice_of(int x) { return x + x; }').compile()
    run(cl.link_program(context, [one, two]))


@check('fill, copy, rectangles, migration, parts of buffers')
def memory():
    a, b = buffers()
    cl.enqueue_fill_buffer(profiled, b, np.int32(5), 0, data.nbytes)
    cl.enqueue_migrate_mem_objects(profiled, [a, b])
    cl.enqueue_copy(profiled, b, a, byte_count=64)
    part = b.get_sub_region(0, 128)
    out = np.empty(32, np.int32)
    cl.enqueue_copy(profiled, out, part)
    equal(out, np.where(np.arange(32) < 16, data[:32], 5))
    square = np.zeros((4, 4), np.int32)
    cl.enqueue_copy(profiled, square, a, buffer_origin=(0, 0), host_origin=(0, 0), region=(16, 4),
                    buffer_pitches=(64,), host_pitches=(16,))
    equal(square, data.reshape(16, 16)[:4, :4])


@check('images and samplers')
def images():
    image = cl.image_from_array(context, np.arange(64, dtype=np.uint8).reshape(4, 4, 4), 4)
    cl.Sampler(context, False, cl.addressing_mode.CLAMP, cl.filter_mode.NEAREST)
    out = np.empty((4, 4, 4), np.uint8)
    cl.enqueue_copy(profiled, out, image, origin=(0, 0), region=(4, 4))
    equal(out.reshape(-1), np.arange(64))


@check('coarse SVM')
def svm():
    program = cl.Program(context, SOURCE).build()
    room = cl.svm_empty(context, cl.svm_mem_flags.READ_WRITE, 256, np.int32)
    program.other(profiled, (256,), None, cl.SVM(room))
    with cl.SVM(room).map_ro(profiled) as seen:
        equal(seen, np.full(256, 7))


finish('what pocld needs')
