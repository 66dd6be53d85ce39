# SPDX-License-Identifier: MIT
"""hashcat: its self-test of each mode, and a word found by the hash that Python makes of it.

Modes may be named; without, two, as each takes about 20 s; `all` takes all of them."""
import hashlib
import hmac
import os
import subprocess
import sys
import tempfile
import warnings
from base64 import b64encode

warnings.simplefilter('ignore')
import crypt  # of Python 3.11: the only one that knows the salted hashes of Unix

WORD, SALT = b'word321', b'saltsalt'


def plain(name):
    return hashlib.new(name, WORD).hexdigest()


def salted(name, text):
    return hashlib.new(name, text).hexdigest() + ':' + SALT.decode()


def keyed(name, key, text):
    return hmac.new(key, text, name).hexdigest() + ':' + SALT.decode()


def derived(name, rounds):
    key = hashlib.pbkdf2_hmac(name, WORD, SALT, rounds)
    return f'{name}:{rounds}:{b64encode(SALT).decode()}:{b64encode(key).decode()}'


SOON = {
    '0': lambda: plain('md5'),
    '500': lambda: crypt.crypt('word321', '$1$saltsalt'),
}
MODES = {
    **SOON,
    '100': lambda: plain('sha1'),
    '1400': lambda: plain('sha256'),
    '1700': lambda: plain('sha512'),
    '10': lambda: salted('md5', WORD + SALT),
    '20': lambda: salted('md5', SALT + WORD),
    '50': lambda: keyed('md5', WORD, SALT),
    '110': lambda: salted('sha1', WORD + SALT),
    '160': lambda: keyed('sha1', SALT, WORD),
    '1300': lambda: plain('sha224'),
    '1410': lambda: salted('sha256', WORD + SALT),
    '1720': lambda: salted('sha512', SALT + WORD),
    '2600': lambda: hashlib.md5(hashlib.md5(WORD).hexdigest().encode()).hexdigest(),
    '4700': lambda: hashlib.sha1(hashlib.md5(WORD).hexdigest().encode()).hexdigest(),
    '10800': lambda: plain('sha384'),
    '10900': lambda: derived('sha256', 1000),
    '12000': lambda: derived('sha1', 1000),
    '17400': lambda: plain('sha3_256'),
    '7400': lambda: crypt.crypt('word321', '$5$rounds=1000$saltsalt'),
    '1800': lambda: crypt.crypt('word321', '$6$rounds=1000$saltsalt'),
}


def run(folder, mode):
    """What is wrong; None: nothing."""
    words, given, found = (os.path.join(folder, name) for name in ('words', 'given', 'found' + mode))
    with open(words, 'w') as file:
        file.write(''.join(f'word{k}\n' for k in range(500)))
    with open(given, 'w') as file:
        file.write(MODES[mode]() + '\n')
    done = subprocess.run(['hashcat', '--session', f'lanewise{os.getpid()}', '-m', mode, '-a', '0',
                           '--force', '--quiet',
                           '--potfile-disable', '--restore-disable', '-n', '1', '-u', '16', '--outfile',
                           found, given, words],
                          cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    text = ' / '.join(line for line in done.stdout.splitlines() if line.strip())
    if 'elf-test failed' in text or 'elf-test' in text and 'skip' in text.lower():
        return 'its self-test: ' + text
    if not os.path.exists(found):
        return f'found nothing, exit status {done.returncode}: {text}'
    with open(found) as file:
        return None if file.read().rstrip().endswith(':word321') else 'found another word'


modes = sys.argv[1:] or list(SOON)
modes = list(MODES) if modes == ['all'] else modes
wrong = {}
with tempfile.TemporaryDirectory() as folder:
    os.environ['HOME'] = os.environ['XDG_DATA_HOME'] = os.environ['XDG_CACHE_HOME'] = folder
    for mode in modes:
        wrong[mode] = run(folder, mode)
        if wrong[mode]:
            print(f'FAILED mode {mode}: {wrong[mode]}')
print(f'hashcat: {sum(not w for w in wrong.values())} modes found their word, '
      f'{sum(bool(w) for w in wrong.values())} failed; '
      f'modes {" ".join(modes)} of {len(MODES)}')
sys.exit(1 if any(wrong.values()) else 0)
