// Members of the sandbox's engine that aren't part of the language. They are apart from host.ts
// because a preview's frame also uses the loader, and has a document's globals.

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

// Defined by timers.ts.
declare function setTimeout(callback: (value: never) => void, delay?: number): object;
declare function clearTimeout(timer: object): void;
