/** The classes of the button that opens the menu of a retry, before the code of the menu is loaded and after. */
export const retryTrigger =
  '-ml-1 inline-flex h-7 w-6 items-center justify-center rounded-control text-fg-2 hover:bg-hover hover:text-fg disabled:pointer-events-none disabled:opacity-40 data-popup-open:bg-hover';
