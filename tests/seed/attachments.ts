import { join } from 'node:path';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { attachmentsFeature } from '../../electron/core/files/attachments/attachments-feature.ts';
import { documentReader } from '../../electron/core/files/attachments/document-reader.ts';
import type { Db } from '../../electron/core/storage/database/db.ts';
import { builtThreads } from '../support/built-threads.ts';
import { testContext } from '../support/test-context.ts';
import { writer } from './prose.ts';
import { seeded } from './random.ts';
import { chartPng, pagePdf } from './real-files.ts';
import { type Subject, subjects } from './vocabulary.ts';

/** The share of questions that come with a file. */
const share = 0.06;

/**
 * Stores a picture, a text and a PDF for each subject as the app would, and returns a function that picks the file for
 * a question. Many messages share the few files, so that writing them takes hardly any time.
 */
export async function seedAttachments(db: Db, folder: string, nowMs: number) {
  const keeper = attachmentsFeature({
    ...testContext({ dataFolder: folder, db, now: () => nowMs, log() {}, closing: new AbortController().signal }),
    documents: documentReader(join(await builtThreads(), 'document-worker.js')),
  });
  const random = seeded(subjects.length);
  const bySubject = new Map<string, Attachment[]>();
  for (const subject of subjects) {
    const name = subject.name.replaceAll(' ', '-');
    const write = writer(random, subject);
    const lines = Array.from({ length: 6 }, () => write.question());
    bySubject.set(subject.name, [
      await keeper.keep(`${name}.png`, chartPng(random)),
      await keeper.keep(`${name}-notes.md`, Buffer.from(`# ${write.title()}\n\n${lines.join('\n\n')}\n`)),
      await keeper.keep(`${name}.pdf`, pagePdf([write.title(), '', ...lines])),
    ]);
  }
  return (subject: Subject): Attachment[] => {
    const files = bySubject.get(subject.name) ?? [];
    if (!random.chance(share)) return [];
    return random.chance(0.2) ? files.slice(0, 2) : [random.pick(files)];
  };
}
