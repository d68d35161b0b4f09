import { dialog } from 'electron';
import type { Question } from '#core/runtime/host/ask-person.ts';
import { mainWindow } from './windows/window.ts';

const no = 0;
const yes = 1;

/** The system’s message box, which no page can see, press or word. Enter, Escape and closing mean No. */
export async function askPerson(question: Question, signal: AbortSignal): Promise<boolean> {
  const options: Electron.MessageBoxOptions = {
    type: 'warning',
    title: 'Portico',
    message: question.title,
    detail: getText(question),
    buttons: [question.no, question.yes],
    defaultId: no,
    cancelId: no,
    noLink: true,
    signal,
  };
  const window = mainWindow();
  const { response } = await (window ? dialog.showMessageBox(window, options) : dialog.showMessageBox(options));
  return response === yes;
}

const getText = ({ advice, facts }: Question): string =>
  [advice, ...facts.map(({ label, lines }) => [`${label}:`, ...lines].join('\n'))].join('\n\n');
