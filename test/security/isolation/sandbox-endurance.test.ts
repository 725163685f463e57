// Attacks that want the sandbox to give in: to take time and memory without end, or to be left broken.
import { cpuAttacks } from './attacks/cpu.ts';
import { memoryAttacks } from './attacks/memory.ts';
import { robustnessAttacks } from './attacks/robustness.ts';
import { judgeAttacks } from './judge-attacks.ts';

judgeAttacks({ CPU: cpuAttacks, memory: memoryAttacks, robustness: robustnessAttacks });
