// Pastes a picture into a field, as a person does who has it in the clipboard.
import type { Locator } from 'playwright';

/** Black, of this size, as a PNG. */
export async function pasteImage(field: Locator, width: number, height: number): Promise<void> {
  await field.evaluate(
    async (element, size) => {
      const canvas = new OffscreenCanvas(size.width, size.height);
      canvas.getContext('2d')?.fillRect(0, 0, size.width, size.height);
      const clipboardData = new DataTransfer();
      const blob = await canvas.convertToBlob({ type: 'image/png' });
      clipboardData.items.add(new File([blob], 'shot.png', { type: 'image/png' }));
      const paste = { clipboardData, bubbles: true, cancelable: true };
      element.dispatchEvent(new ClipboardEvent('paste', paste));
    },
    { width, height },
  );
}
