import { messages } from '#shared/language/messages.ts';

/** Texts of questions outside of the page, in the app's language. */
export const questionText = messages({
  no: 'No',
  program: {
    title: 'Start this program?',
    advice: 'It runs on this computer with your rights. Say yes only if you know it and have asked for it yourself.',
    command: 'Program',
    args: 'Arguments',
    folder: 'In the folder',
    variables: 'Environment variables',
    hidden: 'Secrets in environment variables (values hidden)',
    yes: 'Start it',
  },
  address: {
    title: 'Connect to this address?',
    advice:
      'What models ask its tools is sent there. Say yes only if you know whose it is and have asked for it yourself.',
    url: 'Address',
    headers: 'Headers (values are not shown)',
    yes: 'Connect',
  },
  ownKeys: {
    title: 'Send your provider keys to this gateway?',
    advice:
      'Each question to a provider’s model takes your key for that provider along. Say yes only if you trust who runs this gateway and have asked for it yourself.',
    url: 'Address',
    yes: 'Send them',
  },
});
