// `pipe` of the streams before Node 0.10: emitters that start at once. Packages still build on
// them.

interface OldStream {
  readonly readable?: boolean;
  readonly writable?: boolean;
  on(name: string, listener: (value: unknown) => void): void;
  off(name: string, listener: (value: unknown) => void): void;
  emit(name: string, value: unknown): void;
  write(chunk: unknown): unknown;
  end(): void;
  destroy?(): void;
  pause?(): void;
  resume?(): void;
}

/** `Stream.prototype.pipe`. */
export function pipe(this: OldStream, to: OldStream, options?: { end?: boolean }) {
  // oxlint-disable-next-line no-this-alias -- its listeners are functions of others
  const from = this;
  let hasEnded = false;
  const onData = (chunk: unknown) => {
    if (to.writable && to.write(chunk) === false) from.pause?.();
  };
  const onDrain = () => {
    if (from.readable) from.resume?.();
  };
  const finish = (by: 'end' | 'destroy') => () => {
    if (!hasEnded && options?.end !== false) to[by]?.();
    hasEnded = true;
  };
  const heard: [OldStream, string, (value: unknown) => void][] = [
    [from, 'data', onData],
    [to, 'drain', onDrain],
    [from, 'end', finish('end')],
    [from, 'close', finish('destroy')],
  ];
  const stop = () => {
    for (const [stream, name, listener] of heard) stream.off(name, listener);
  };
  for (const [stream, name] of [
    [from, 'end'],
    [from, 'close'],
    [to, 'close'],
  ] as const)
    heard.push([stream, name, stop]);
  for (const [stream, name, listener] of heard) stream.on(name, listener);
  to.emit('pipe', from);
  return to;
}
