import type { Generated } from 'kysely';

/** Tables of migration `004-composer`: drafts, options, queue and costs. */
export interface ComposerTables {
  drafts: {
    chat: string;
    text: string;
    attachments: string;
    model: string | null;
    /** JSON: the models it is meant for, where they are several. */
    compare: Generated<string>;
    updated_at: number;
  };
  queued_messages: {
    /** Order of sending. */
    seq: number | null;
    id: string;
    conversation_id: string;
    text: string;
    attachments: string;
    model: string;
    /** JSON: the models it is meant for, where they are several. */
    compare: Generated<string>;
    /** JSON: why it was not sent. */
    problem: string | null;
  };
  chat_options: { chat: string; value: string };
  prompts: { id: string; name: string; text: string };
  presets: { id: string; name: string; value: string; for_new_chats: number };
  /** Attachments by the SHA-256 of their bytes, which are in the data folder. */
  attachments: {
    id: string;
    kind: 'image' | 'pdf' | 'text';
    media_type: string;
    bytes: number;
    tokens: number;
    /** When it was last uploaded; unreferenced files are removed a day later. */
    used_at: number;
  };
  summaries: {
    id: string;
    conversation_id: string;
    through_id: string;
    messages: number;
    text: string;
    model: string;
    simulated: number;
    cost_usd: string | null;
    cost_source: 'billed' | 'estimated' | 'byok' | 'unknown';
    bill: string | null;
    created_at: number;
  };
  /** One row per request that may have cost something; filled by a trigger for answers. Rows are never deleted. */
  spend: {
    id: string;
    conversation_id: string;
    request_id: string | null;
    purpose: string;
    simulated: number;
    cost_usd: string | null;
    cost_source: 'billed' | 'estimated' | 'byok' | 'unknown';
    at: number;
    /** Of a request that is no answer, while its cost is not known; of an answer see `messages`. */
    client_request_id: Generated<string | null>;
    /** The billing account; null: a message of a version that did not note it, and is deleted. */
    source: Generated<string | null>;
  };
  /** What a person has said of requests that the books and the chats do not agree about. */
  request_marks: { request_id: string; mark: 'explained'; at: number };
}
