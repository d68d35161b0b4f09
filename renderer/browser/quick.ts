const mark = 'portico-quick';

/** Whether this is the small window. The host opens it at `#quick`; a reload does not forget it. */
export const isQuick: boolean = (() => {
  try {
    if (location.hash === '#quick') sessionStorage.setItem(mark, '1');
    return sessionStorage.getItem(mark) === '1';
  } catch {
    return false;
  }
})();
