// A modal dialog that is shown while it is mounted, and gives the focus back however it goes.
import { useEffect, useRef } from 'react';
import type { RefObject } from 'react';
import { focusRegion } from './use-regions.ts';

/** For the dialog's element. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialogRef = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialogRef.current?.showModal();
    return () => {
      // A dialog that is taken away and not closed takes the focus with it.
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      // What led to it has gone, too: one goes on by writing.
      else focusRegion('agent');
    };
  }, []);
  return dialogRef;
}
