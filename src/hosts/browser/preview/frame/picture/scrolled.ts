// Boxes that are scrolled within the page. An image can't be scrolled, so their content is moved.

/** How far it is scrolled; undefined if it isn't, or if it is what scrolls the page. */
export function findScroll(
  element: Element,
): { readonly x: number; readonly y: number } | undefined {
  const { scrollLeft: x, scrollTop: y } = element;
  return (x === 0 && y === 0) || element === document.scrollingElement ? undefined : { x, y };
}

/**
 * The declarations of a `::before` that pulls the content up, or undefined if none can. What is moved so is painted in the
 * order of before: a shift of the children themselves would lift them above sticky ones.
 */
export function writePull(element: Element): string | undefined {
  const scroll = findScroll(element);
  if (!scroll || scroll.x !== 0 || getComputedStyle(element, '::before').content !== 'none') {
    return undefined;
  }
  const { display, flexDirection, rowGap } = getComputedStyle(element);
  const isColumn = display === 'flex' && flexDirection === 'column';
  if (!isColumn && !/^(?:block|flow-root|inline-block|list-item)$/.test(display)) return undefined;
  const gap = isColumn ? Number.parseFloat(rowGap) || 0 : 0;
  return `content: ''; display: block; flex: none; height: 0; margin: ${-scroll.y}px 0 ${-gap}px`;
}

/** True if the element is placed by a box that is scrolled, and not by what stands before it. */
export function isPlacedInScrolled(element: Element): element is HTMLElement {
  if (!(element instanceof HTMLElement)) return false;
  if (getComputedStyle(element).position !== 'absolute') return false;
  if (!element.offsetParent || writePull(element.offsetParent) === undefined) return false;
  // Firefox doesn't tell `auto`.
  const map = 'computedStyleMap' in element ? element.computedStyleMap() : undefined;
  return ['top', 'bottom'].some((side) => String(map?.get(side)) !== 'auto');
}
