# SPDX-License-Identifier: MIT
"""LibreOffice Calc: columns of formulas, each a kernel that Calc writes, against Python."""
import csv
import math
import os
import random
import statistics
import subprocess
import tempfile

from harness import check, finish

folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
rows, window = 1000, 50
numbers = random.Random(3)
A, B, C = ([round(numbers.uniform(-5, 5), 4) for _ in range(rows)] for _ in range(3))
# Formulas in row R, with S = R + window; what each is of the row's numbers and of A's and B's to row S.
FORMULAS = {
    '[.AR]*[.BR]+[.CR]': lambda a, b, c, u, v: a * b + c,
    'SQRT(ABS([.AR]))': lambda a, b, c, u, v: math.sqrt(abs(a)),
    'IF([.AR]>[.BR];[.AR];[.BR])': lambda a, b, c, u, v: max(a, b),
    'SIN([.AR])*COS([.BR])': lambda a, b, c, u, v: math.sin(a) * math.cos(b),
    'EXP([.AR]/10)+LN(ABS([.BR])+1)': lambda a, b, c, u, v: math.exp(a / 10) + math.log(abs(b) + 1),
    'POWER(ABS([.AR]);1.5)': lambda a, b, c, u, v: abs(a) ** 1.5,
    'MOD([.AR];3)': lambda a, b, c, u, v: a % 3,
    'LEGACY.NORMSDIST([.AR])': lambda a, b, c, u, v: math.erfc(-a / math.sqrt(2)) / 2,
    'GAMMALN(ABS([.AR])+0.1)': lambda a, b, c, u, v: math.lgamma(abs(a) + 0.1),
    'AVERAGE([.AR:.CR])': lambda a, b, c, u, v: (a + b + c) / 3,
    'STDEV([.AR:.CR])': lambda a, b, c, u, v: statistics.stdev((a, b, c)),
    'MAX([.AR:.AS])-MIN([.BR:.BS])': lambda a, b, c, u, v: max(u) - min(v),
    'SUMPRODUCT([.AR:.AS];[.BR:.BS])': lambda a, b, c, u, v: math.fsum(x * y for x, y in zip(u, v)),
    'SUMIF([.AR:.AS];">0";[.BR:.BS])': lambda a, b, c, u, v: math.fsum(y for x, y in zip(u, v) if x > 0),
    'VAR([.AR:.AS])': lambda a, b, c, u, v: statistics.variance(u),
    'ATAN2([.AR];[.BR])+ASINH([.CR])': lambda a, b, c, u, v: math.atan2(b, a) + math.asinh(c),
}
SPACES = ' '.join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
                  for name in ('office', 'table', 'text'))
SPACES += ' xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2"'
# Calc takes the platforms that it knows by name.
SETTINGS = '''<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Common/Misc">
<prop oor:name="OpenCLAllowList" oor:op="fuse"><value><it>Linux//The Lanewise project//</it></value></prop>
</item></oor:items>'''


def write_sheet():
    with open('sheet.fods', 'w', encoding='utf-8') as sheet:
        sheet.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<office:document {SPACES} office:version="1.2" '
                    'office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body>'
                    '<office:spreadsheet><table:table table:name="S">')
        for row in range(rows):
            sheet.write('<table:table-row>')
            for column in (A, B, C):
                sheet.write(f'<table:table-cell office:value-type="float" office:value="{column[row]}"/>')
            for formula in FORMULAS:
                text = formula.replace('R]', f'{row + 1}]').replace('R:', f'{row + 1}:')
                text = text.replace('S]', f'{row + 1 + window}]').replace('"', '&quot;').replace('>', '&gt;')
                sheet.write(f'<table:table-cell table:formula="of:={text}"/>')
            sheet.write('</table:table-row>')
        sheet.write('</table:table></office:spreadsheet></office:body></office:document>')


def calculate():
    """With no way but OpenCL: Calc ends itself where it has none."""
    os.makedirs('profile/user')
    with open('profile/user/registrymodifications.xcu', 'w', encoding='utf-8') as settings:
        settings.write(SETTINGS)
    profile = f'-env:UserInstallation=file://{os.getcwd()}/profile'
    subprocess.run(['soffice', profile, '--headless', '--convert-to',
                    'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false', 'sheet.fods'],
                   check=True, timeout=600, env=dict(os.environ, SC_FORCE_CALCULATION='opencl'),
                   )
    with open('sheet.csv', encoding='utf-8') as table:
        return list(csv.reader(table))


write_sheet()
table = calculate()


@check('the device was chosen')
def chosen():
    with open('profile/cache/opencl_devices.log', encoding='utf-8') as devices:
        assert 'Selected: true' in devices.read()


for place, (formula, function) in enumerate(FORMULAS.items(), 3):
    @check(formula)
    def column(place=place, function=function):
        assert len(table) == rows
        for row in range(rows - window):
            wanted = function(A[row], B[row], C[row], A[row:row + window + 1], B[row:row + window + 1])
            got = float(table[row][place])
            assert abs(got - wanted) <= 1e-9 * max(1, abs(wanted)), f'row {row + 1}: {got} is not {wanted}'


finish('LibreOffice Calc')
