/**
 * CSS classes of the button that opens the retry menu. It looks the same before and after the menu's code is loaded.
 */
export const retryTrigger =
  '-ml-1 inline-flex h-7 w-6 items-center justify-center rounded-control text-fg-2 hover:bg-hover hover:text-fg disabled:pointer-events-none disabled:opacity-40 data-popup-open:bg-hover';
