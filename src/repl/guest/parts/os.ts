// Node's os. There is no real machine, so the values are fixed.
import type { Kernel } from '../kernel-type.ts';

const signals =
  'HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN ' +
  'TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS';

/** Returns the module. */
export function addOs(kernel: Kernel) {
  const constants = {
    signals: Object.fromEntries(signals.split(' ').map((name, at) => ['SIG' + name, at + 1])),
    errno: Object.fromEntries(
      Object.entries(kernel.errnos).map(([name, number]) => [name, Math.abs(number)]),
    ),
    priority: {},
  };
  return {
    EOL: '\n',
    devNull: '/dev/null',
    constants,
    platform: () => 'rockpool',
    type: () => 'rockpool',
    arch: () => 'wasm',
    machine: () => 'wasm',
    endianness: () => 'LE',
    release: () => '0',
    version: () => '0',
    tmpdir: () => kernel.host.cwd(),
    homedir: () => kernel.host.cwd(),
    hostname: () => 'rockpool',
    cpus: () => [],
    loadavg: () => [0, 0, 0],
    networkInterfaces: () => ({}),
    availableParallelism: () => 1,
    totalmem: () => 0,
    freemem: () => 0,
    uptime: () => performance.now() / 1000,
    userInfo: () => ({
      username: 'rockpool',
      uid: -1,
      gid: -1,
      shell: null,
      homedir: kernel.host.cwd(),
    }),
  };
}
