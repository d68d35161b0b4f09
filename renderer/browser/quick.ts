const mark = 'portico-quick';

/** True in the installed app's small window, which is opened at `#quick`. A reload does not forget it. */
export const isQuick: boolean = (() => {
  try {
    // A browser tab is never the small window, whatever its address.
    if (location.protocol !== 'app:') return false;
    if (location.hash === '#quick') sessionStorage.setItem(mark, '1');
    return sessionStorage.getItem(mark) === '1';
  } catch {
    return false;
  }
})();
