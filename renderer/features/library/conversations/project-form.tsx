import { Paperclip } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Folder, Project } from '#shared/contract/chat/organise.ts';
import { useProject, useSetProject } from '../../../api/use-project.ts';
import { text } from '../../../text/conversations-text.ts';
import { describeError } from '../../../text/error-text.ts';
import { count } from '../../../text/format.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { Form } from '../../../ui/forms/form.tsx';
import { TextArea } from '../../../ui/forms/text-area.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { withFile, withoutFile } from '../../drafts/attachments/attached-files.ts';
import { AttachmentList } from '../../drafts/attachments/attachment-list.tsx';
import { RefusedFiles } from '../../drafts/attachments/refused-files.tsx';
import { useUploads } from '../../drafts/attachments/use-uploads.ts';
import { ModelSelect } from '../../models/picker/model-select.tsx';

interface ProjectDialogProps {
  folder: Folder;
  onDone: () => void;
}

/** What all chats of a folder have in common. */
export function ProjectDialog({ folder, onDone }: ProjectDialogProps) {
  const project = useProject(folder.id);
  if (project.isError)
    return <Failure title={text.projectFailed} error={project.error} onRetry={() => void project.refetch()} />;
  if (!project.data) return <SkeletonRows rows={4} label={text.projectLoading} />;
  return <ProjectForm folder={folder} initial={project.data} onDone={onDone} />;
}

function ProjectForm({ folder, initial, onDone }: ProjectDialogProps & { initial: Project }) {
  const [draft, setDraft] = useState(initial);
  const uploads = useUploads((file) => setDraft((now) => ({ ...now, attachments: withFile(now.attachments, file) })));
  const set = useSetProject();
  const input = useRef<HTMLInputElement>(null);
  const tokens = draft.attachments.reduce((sum, file) => sum + file.tokens, 0);
  const problem = set.isError ? describeError(set.error).sentence : null;
  return (
    <Form
      saveLabel={text.save}
      cancelLabel={text.cancel}
      ready={uploads.uploading.length === 0}
      busy={set.isPending}
      onSave={() => set.mutate({ id: folder.id, project: draft }, { onSuccess: onDone })}
      onCancel={onDone}
    >
      <p className="text-fg-2 text-sm">{text.projectNote}</p>
      <TextArea
        label={text.instructions}
        note={text.instructionsNote}
        value={draft.instructions}
        maxLength={100_000}
        onChange={(event) => setDraft({ ...draft, instructions: event.target.value })}
      />
      <ModelSelect
        label={text.projectModel}
        none={text.usualModel}
        value={draft.model}
        onChange={(model) => setDraft({ ...draft, model })}
      />
      <div className="flex flex-col items-start gap-2">
        <p className="font-medium text-fg-2 text-xs">{text.projectFiles}</p>
        <AttachmentList
          files={draft.attachments}
          uploading={uploads.uploading}
          onRemove={(file) => setDraft({ ...draft, attachments: withoutFile(draft.attachments, file) })}
        />
        <Button onClick={() => input.current?.click()}>
          <Paperclip size={14} aria-hidden />
          {text.addFiles}
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label={text.addFiles}
          onChange={(event) => {
            void uploads.take([...(event.target.files ?? [])], draft.attachments.length);
            // Allows choosing the same file again.
            event.target.value = '';
          }}
        />
        <p className="text-fg-3 text-xs">{text.projectFilesNote(tokens > 0 ? count(tokens) : null)}</p>
        <RefusedFiles refusals={uploads.refusals} onDismiss={uploads.forget} />
      </div>
      {problem && (
        <p role="alert" className="text-bad text-sm">
          {text.projectNotSaved}: {problem}
        </p>
      )}
    </Form>
  );
}
