// A modal dialog that is shown while it is mounted, and always returns the focus at its end.
import { useEffect, useRef } from 'react';
import type { RefObject } from 'react';
import { focusRegion } from './use-regions.ts';

/** Returns the ref for the dialog's element. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialogRef = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialogRef.current?.showModal();
    return () => {
      // If a dialog is removed without being closed, the focus is lost.
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      // The element that opened it was removed, too, so the focus moves to the prompt field.
      else focusRegion('agent');
    };
  }, []);
  return dialogRef;
}
