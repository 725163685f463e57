// Members of the sandbox's engine that are no part of the language. Apart from host.ts, because a
// preview's frame takes the loader, and has a document's globals.

declare const performance: { now(): number; readonly timeOrigin: number };
declare class DOMException extends Error {
  constructor(message?: string, name?: string);
}
declare function queueMicrotask(job: () => void): void;
declare function atob(text: string): string;
declare function btoa(text: string): string;
interface ErrorConstructor {
  captureStackTrace(target: object, above?: Function): void;
}

// Made by timers.ts.
declare function setTimeout(callback: (value: never) => void, delay?: number): object;
declare function clearTimeout(timer: object): void;
