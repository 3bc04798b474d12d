// Finds clipped text: text that its own box, or an ancestor, shows only in part. Text that can be scrolled to with a
// visible scrollbar is not clipped, nor is shortened text with its full form in a tooltip.
import type { Page } from '@playwright/test';

/// The clipped texts on the page, each with its place. While a dialog is open, only those in it.
export function clippedTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const SLACK = 1.5;
    const dialogs = [...document.querySelectorAll('dialog[open]')];
    const scope = dialogs.at(-1) ?? document.body;
    const found = new Set<string>();
    /// Whether the element, or one of its nearest ancestors, has the full text in a tooltip.
    const hasTooltip = (element: Element): boolean => {
      let at: Element | null = element;
      for (let steps = 0; at && steps < 5; steps++, at = at.parentElement)
        if (at.getAttribute('title')?.trim() || at.querySelector(':scope > title')) return true;
      return false;
    };
    const place = (element: Element): string => {
      const names = [element, element.parentElement, element.parentElement?.parentElement].filter(at => at !== null && at !== undefined);
      return names.map(at => at.getAttribute('class')?.split(' ')[0] || at.tagName.toLowerCase()).reverse().join(' > ');
    };
    const note = (element: Element, text: string, why: string): void => {
      if (!hasTooltip(element)) found.add(`${place(element)}: “${text.trim().slice(0, 60)}” ${why}`);
    };
    const walker = document.createTreeWalker(scope, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent ?? '';
      const element = node.parentElement;
      if (!element || text.trim() === '' || !element.checkVisibility({ visibilityProperty: true })) continue;
      if (element.closest('title, option, script, style, textarea, .visually-hidden, [hidden]')) continue;
      // Lines of the source editor are as long as the file's, and scroll.
      if (element.closest('.editor')) continue;
      range.selectNodeContents(node);
      const box = range.getBoundingClientRect();
      if (box.width <= 1 || box.height <= 1) continue;
      const isInWindow = box.right > 0 && box.left < innerWidth && box.bottom > 0 && box.top < innerHeight;
      if (!isInWindow) continue;
      // Lanes and their headings are panned; a shortened name has its full form beside it.
      if (element instanceof SVGElement) {
        const frame = element.closest('.lane-headings')?.getBoundingClientRect();
        if (frame && box.left < frame.right && box.right > frame.right + SLACK) note(element, text, 'extends beyond its lane’s heading');
        if (text.includes('…') && !element.closest('g')?.querySelector('title') && !element.closest('[aria-label]')) note(element, text, 'is shortened without its full form');
        continue;
      }
      let isScrolledX = false;
      let isScrolledY = false;
      for (let at: Element | null = element; at && at !== document.documentElement; at = at.parentElement) {
        const style = getComputedStyle(at);
        if (style.display === 'inline' || style.display === 'contents') continue;
        const frame = at.getBoundingClientRect();
        const [left, top] = [frame.left + at.clientLeft, frame.top + at.clientTop];
        const [right, bottom] = [left + at.clientWidth, top + at.clientHeight];
        const clips = (overflow: string): boolean => overflow === 'hidden' || overflow === 'clip';
        const scrolls = (overflow: string): boolean => overflow === 'auto' || overflow === 'scroll';
        const isInside = box.left < right && box.right > left && box.top < bottom && box.bottom > top;
        // Entirely outside of the frame: another row, or scrolled away.
        if (!isInside) { if (style.overflowX !== 'visible' || style.overflowY !== 'visible') break; else continue; }
        const isOverX = box.right > right + SLACK || box.left < left - SLACK;
        const isOverY = box.bottom > bottom + 2 || box.top < top - 2;
        if (isOverX && !isScrolledX) {
          if (clips(style.overflowX)) { note(element, text, `is clipped by ${place(at)}`); break; }
          if (scrolls(style.overflowX) && style.scrollbarWidth === 'none') { note(element, text, `scrolls without a scrollbar in ${place(at)}`); break; }
        }
        if (isOverY && !isScrolledY && clips(style.overflowY)) { note(element, text, `is clipped vertically by ${place(at)}`); break; }
        isScrolledX ||= scrolls(style.overflowX) && at.scrollWidth > at.clientWidth;
        isScrolledY ||= scrolls(style.overflowY) && at.scrollHeight > at.clientHeight;
      }
      if (!isScrolledX && box.right > innerWidth + SLACK) note(element, text, 'extends beyond the window');
    }
    return [...found].sort();
  });
}
