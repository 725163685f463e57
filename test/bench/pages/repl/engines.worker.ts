// The engines that the Repl is measured beside, each bare: plain V8, the Repl's own engine without a
// session around it, and quickjs-emscripten. In a worker, as the Repl is.
import { expose } from 'comlink';
import quickjsWasiUrl from 'quickjs-wasi/quickjs.wasm?url';
import {
  kernelMs,
  kernels,
  timeKernel,
  toTimingSource,
  type KernelName,
  type KernelTime,
} from './kernels.ts';

/** As much of what build-peers.ts bundles as is used. */
interface QuickjsEmscripten {
  readonly getQuickJS: () => Promise<{ newContext(): EmscriptenContext }>;
}

interface EmscriptenContext {
  evalCode(code: string): unknown;
  /** Throws what the guest threw. */
  unwrapResult(result: unknown): EmscriptenHandle;
  getString(handle: EmscriptenHandle): string;
}

interface EmscriptenHandle {
  dispose(): void;
}

/** Evaluates an expression in a guest that stays; its value as text. */
type Evaluate = (code: string) => string;

export type BareEngine = 'quickjs-emscripten' | 'quickjs-wasi';

export type EnginesWorker = typeof worker;

const guests = new Map<BareEngine, Evaluate>();

const worker = {
  /** Milliseconds until the engine is fetched and compiled and has evaluated its first expression. */
  async start(engine: BareEngine, emscriptenUrl: string): Promise<number> {
    const startedAt = performance.now();
    const evaluate =
      engine === 'quickjs-wasi' ? await startWasi() : await startEmscripten(emscriptenUrl);
    if (evaluate('6 * 7') !== '42') throw new Error(`${engine} can't multiply.`);
    guests.set(engine, evaluate);
    return performance.now() - startedAt;
  },

  evaluate(engine: BareEngine, code: string): string {
    const evaluate = guests.get(engine);
    if (!evaluate) throw new Error(`${engine} wasn't started.`);
    return evaluate(code);
  },

  timeKernel(engine: BareEngine | 'v8', name: KernelName): KernelTime {
    if (engine === 'v8') return timeKernel(kernels[name], kernelMs);
    return JSON.parse(worker.evaluate(engine, toTimingSource(name))) as KernelTime;
  },
};

async function startWasi(): Promise<Evaluate> {
  const { QuickJS } = await import('quickjs-wasi');
  const wasm = await WebAssembly.compileStreaming(fetch(quickjsWasiUrl));
  const vm = await QuickJS.create({ wasm });
  return (code) => {
    const handle = vm.evalCode(code);
    const text = handle.toString();
    handle.dispose();
    return text;
  };
}

async function startEmscripten(url: string): Promise<Evaluate> {
  const { getQuickJS } = (await import(/* @vite-ignore */ url)) as QuickjsEmscripten;
  const engine = await getQuickJS();
  const context = engine.newContext();
  return (code) => {
    const handle = context.unwrapResult(context.evalCode(`String(${code})`));
    const text = context.getString(handle);
    handle.dispose();
    return text;
  };
}

expose(worker);
