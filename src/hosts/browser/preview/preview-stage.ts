// The place of a page's frame in the preview's element. The frame fills it, or has a size of its own,
// as a phone's. Then it is made smaller on the screen where it is larger than the place.
import type { PreviewSize } from '../../../core/host-ports/preview.ts';

export interface PreviewStage extends Disposable {
  /** Returns the size of the frame's viewport then. */
  resize(size: PreviewSize | undefined): PreviewSize;
}

const marginPx = 8;
// For a line that says the size.
const labelPx = 24;

export function createStage(
  container: Element,
  frame: HTMLElement,
  first: PreviewSize | undefined,
): PreviewStage {
  let size = first;
  const place = document.createElement('div');
  const label = document.createElement('div');
  place.append(frame, label);
  const filling = { display: 'block', width: '100%', height: '100%', border: '0' };
  Object.assign(place.style, filling, { position: 'relative', overflow: 'hidden' });
  Object.assign(label.style, {
    ...{ position: 'absolute', left: '0', right: '0', height: `${labelPx}px`, color: '#333' },
    ...{ font: `12px/${labelPx}px system-ui, sans-serif`, textAlign: 'center' },
  });

  function fit(): void {
    label.hidden = size === undefined;
    // Without a background, a page shows what is behind its frame.
    place.style.background = size ? '#ddd' : '';
    if (!size) {
      const none = { position: '', left: '', top: '', transform: '', background: '' };
      Object.assign(frame.style, filling, none);
      return;
    }
    const { width, height } = size;
    const scale = Math.min(
      1,
      (place.clientWidth - 2 * marginPx) / width,
      (place.clientHeight - marginPx - labelPx) / height,
    );
    // The page doesn't notice a transformation: its viewport stays as large.
    const shownScale = Math.max(0.01, scale);
    Object.assign(frame.style, {
      ...{ position: 'absolute', width: `${width}px`, height: `${height}px`, top: `${marginPx}px` },
      ...{ left: `${(place.clientWidth - width * shownScale) / 2}px`, background: 'Canvas' },
      ...{ transform: `scale(${shownScale})`, transformOrigin: '0 0' },
    });
    label.style.top = `${marginPx + height * shownScale}px`;
    const percent = scale < 1 ? ` (${Math.round(shownScale * 100)} %)` : '';
    label.textContent = `${width} × ${height}${percent}`;
  }

  container.append(place);
  fit();
  const observer = new ResizeObserver(fit);
  observer.observe(place);

  return {
    resize(next) {
      size = next;
      fit();
      return next ?? { width: frame.clientWidth, height: frame.clientHeight };
    },
    [Symbol.dispose]() {
      observer.disconnect();
      place.remove();
    },
  };
}
