// Puts React elements into the test page, and takes them out again.
import { act } from 'react';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';

export interface Mounted extends Disposable {
  readonly element: HTMLElement;
  render(node: ReactNode): Promise<void>;
}

export async function mount(node: ReactNode): Promise<Mounted> {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  // Keys go where the focus is: a frame of the file before may have had it, and is gone.
  window.focus();
  const element = document.createElement('div');
  document.body.append(element);
  // What a boundary catches is the test's own doing: it isn't printed.
  const root = createRoot(element, { onCaughtError: () => {} });
  const render = (next: ReactNode) => act(async () => root.render(next));
  await render(node);
  return {
    element,
    render,
    [Symbol.dispose]() {
      act(() => root.unmount());
      element.remove();
    },
  };
}
