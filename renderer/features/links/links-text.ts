import { words } from '../../text/language.ts';

export const text = words({
  titles: {
    new: 'Start a chat from a link?',
    chat: 'Open a chat from a link?',
    models: 'Show models from a link?',
    gateway: 'Connect to a gateway from a link?',
    prompt: 'Save a prompt from a link?',
  },
  notes: {
    new: 'The text goes into the message field of a new chat. Nothing is sent.',
    chat: 'Nothing is changed by it.',
    models: 'The list of models is shown, narrowed down to this.',
    gateway:
      'The address goes into the settings, where you enter its key. Nothing is connected yet. Connect only to those you trust: they read what you send.',
    prompt: 'It is added to your prompts, for the menu of “/”.',
  },
  added: 'It goes below what you have typed there already.',
  prompt: 'Text',
  noPrompt: 'no text',
  model: 'Model',
  unknownModel: (id: string) => `${id} (not in the catalogue, so your usual model is taken)`,
  chat: 'Chat',
  query: 'Filter',
  everything: 'all models',
  address: 'Address',
  name: 'Name',
  agree: { new: 'Put into a new chat', chat: 'Open', models: 'Show', gateway: 'Go to the settings', prompt: 'Save' },
  cancel: 'Cancel',
  notRead: 'This link cannot be opened',
  notReadNote: 'It asks for something that Portico does not know, or is not written as it must be. Nothing was done.',
  link: 'Link',
  close: 'Close',
  saved: 'Prompt saved',
  notSaved: 'The prompt was not saved',
});
