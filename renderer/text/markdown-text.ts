import { counted } from './format.ts';
import { words } from './language.ts';

export const markdownText = words({
  copy: 'Copy',
  text: 'Text',
  wrap: 'Wrap lines',
  lines: (lines: number) => counted(lines, 'line', 'lines'),
  codeIn: (language: string) => `${language} code`,
  moreMarks: (marks: number) => ` [${counted(marks, 'more mark', 'more marks')}] `,
  table: 'Table',
  image: 'Image',
  showImage: (name: string) => `Show picture: ${name}`,
  diagram: 'Diagram',
  diagramAlt: (kind: string) => (kind ? `Diagram (${kind}); its source is one button away` : 'Diagram'),
  showSource: 'Show the source',
  showDiagram: 'Show the diagram',
  drawnTooLong: 'It took too long to draw.',
  tooLongToDraw: 'It is too long to draw.',
  notDrawn: (problem: string) => `This diagram cannot be drawn: ${problem}`,
  link: 'link',
  done: 'Done',
  open: 'Not done',
});
