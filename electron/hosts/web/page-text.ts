import { messages } from '#shared/language/messages.ts';

/** Texts of the web host's own pages, in the app's language. Its terminal output is English. */
export const pageText = messages({
  refusals: {
    otherAddress: 'This address is not one of Portico. Use the link that Portico printed.',
    onlyGet: 'Only GET is answered here.',
    onlyPost: 'Only POST is answered here.',
    otherSite: 'Another site may not load this.',
    otherAsker: 'Another site may not ask this.',
    nothingHere: 'There is nothing here.',
    noAnswer: 'This is no answer.',
    linkUsed: 'This link was used already, or it is older than a minute. The terminal shows a new one.',
    printed: 'This page was printed already. Print it again.',
    noSession: 'This page is not connected. Use the link that Portico printed.',
  },
  yes: 'You said yes.',
  no: 'You said no: nothing was started.',
  goBack: 'You can close this page and go back to Portico.',
  connect: {
    title: 'Connect to Portico',
    heading: 'This page is not connected to Portico',
    why: 'Portico lets a browser in by a link that works once and for one minute, so that no other page or program can read your chats. Yours was used already or is older than that, or this tab has none.',
    terminal:
      'Go to the terminal in which Portico runs. A fresh link has just been printed there (press Enter in that terminal for another).',
    open: 'Open that link within a minute. It looks like this:',
    restarted:
      'If Portico was restarted, this tab’s old connection has ended: use the new link. If no terminal shows it, end Portico and start it again. Nothing is lost.',
  },
});

export type PageText = ReturnType<typeof pageText>;
