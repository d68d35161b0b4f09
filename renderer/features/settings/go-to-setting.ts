const patienceMs = 5000;
const controls = 'input, select, textarea, [role="switch"], button:not([disabled])';

/** Scrolls to a row of the settings and focuses its control, as soon as the row is there. Returns how to give up. */
export function goToSetting(page: HTMLElement, name: string): () => void {
  const look = () => {
    const row = page.querySelector<HTMLElement>(`[data-setting="${CSS.escape(name)}"]`);
    if (!row) return;
    stop();
    row.scrollIntoView({ block: 'center' });
    (row.querySelector<HTMLElement>(controls) ?? row).focus({ preventScroll: true });
    row.dataset.found = '';
    setTimeout(() => delete row.dataset.found, 2000);
  };
  const observer = new MutationObserver(look);
  const late = setTimeout(() => observer.disconnect(), patienceMs);
  const stop = () => {
    observer.disconnect();
    clearTimeout(late);
  };
  observer.observe(page, { childList: true, subtree: true });
  look();
  return stop;
}
