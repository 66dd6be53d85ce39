# SPDX-License-Identifier: MIT
"""OpenMM: its own test of the installation, then a box of water with PME: forces against the reference
platform's, and
100 steps that keep the energy."""
import contextlib
import io

import numpy as np
import openmm as mm
import openmm.testInstallation
from openmm import app, unit

from harness import check, finish

names = [mm.Platform.getPlatform(k).getName() for k in range(mm.Platform.getNumPlatforms())]
assert 'OpenCL' in names, names


@check('testInstallation')
def installation():
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        openmm.testInstallation.run_tests()
    print(text.getvalue())
    line = [line for line in text.getvalue().splitlines() if 'OpenCL' in line and 'Successfully' in line]
    assert line and 'differences are within tolerance' in text.getvalue(), text.getvalue()


def box(count):
    """`count`^3 molecules of water on a lattice, and the system of their forces."""
    topology, positions = app.Topology(), []
    chain = topology.addChain()
    oxygen, hydrogen = app.Element.getBySymbol('O'), app.Element.getBySymbol('H')
    step = 0.3107
    for place in np.ndindex(count, count, count):
        residue = topology.addResidue('HOH', chain)
        atoms = [topology.addAtom(n, e, residue) for n,
                 e in (('O', oxygen), ('H1', hydrogen), ('H2', hydrogen))]
        topology.addBond(atoms[0], atoms[1])
        topology.addBond(atoms[0], atoms[2])
        at = np.array(place) * step
        positions += [at, at + [0.09572, 0, 0], at + [-0.0239987, 0.0926627, 0]]
    topology.setUnitCellDimensions([count * step] * 3 * unit.nanometer)
    system = app.ForceField('tip3p.xml').createSystem(topology, nonbondedMethod=app.PME,
                                                      nonbondedCutoff=0.9 * unit.nanometer,
                                                      rigidWater=True)
    return system, positions


system, positions = box(7)


def context_on(name):
    integrator = mm.VerletIntegrator(0.5 * unit.femtosecond)
    properties = {'Precision': 'mixed'} if name == 'OpenCL' else {}
    context = mm.Context(system, integrator, mm.Platform.getPlatformByName(name), properties)
    context.setPositions(positions)
    return context, integrator


@check('forces')
def forces():
    values = []
    for name in 'OpenCL', 'Reference':
        context, _ = context_on(name)
        values.append(context.getState(getForces=True).getForces(asNumpy=True)._value)
    error = np.abs(values[0] - values[1]).max() / np.abs(values[1]).max()
    assert error < 1e-3, f'off by {error}'


@check('100 steps')
def steps():
    context, integrator = context_on('OpenCL')
    context.setVelocitiesToTemperature(100, 1)
    energies = []
    for _ in range(10):
        integrator.step(10)
        state = context.getState(getEnergy=True)
        energies.append((state.getKineticEnergy() + state.getPotentialEnergy())._value)
    assert np.isfinite(energies).all(), energies
    kinetic = state.getKineticEnergy()._value
    assert np.ptp(energies) < 0.05 * kinetic, energies


finish('OpenMM ' + mm.__version__)
