// Notes are comment lines that a journey types in the page or writes on disk. A comment means nothing to the catalog, so
// notes may stand anywhere; each is put below an anchor, a line that names an entry or an image, and has to stay there.

export type Note = { text: string; file: string; anchor: string };

const ANCHOR = /^\s*- name: \S|^image: \S/;
const NOTE = /^\s*# (typed|outside) \d+\.$/;

/// The full stop tells a note from one that was cut off in its number.
export const noteText = (kind: 'typed' | 'outside', number: number): string => `# ${kind} ${number}.`;

/// The lines of a text below which a note may be put.
export const anchors = (text: string): string[] => text.split('\n').filter(line => ANCHOR.test(line));

/// The text with the note in a line of its own below its anchor; `null` where the anchor is not there any more.
export function withNote(text: string, note: Note): string | null {
  const lines = text.split('\n');
  const at = lines.indexOf(note.anchor);
  if (at < 0) return null;
  lines.splice(at + 1, 0, note.text);
  return lines.join('\n');
}

/// What is wrong with where notes stand in a text: a note that is there twice, or one that is below another anchor.
export function misplaced(file: string, text: string, notes: readonly Note[]): string[] {
  const wrong: string[] = [];
  const lines = text.split('\n');
  for (const note of notes) {
    const places = lines.flatMap((line, at) => (line === note.text ? [at] : []));
    if (places.length > 1) wrong.push(`${note.text} is in ${file} ${places.length} times`);
    const [place] = places;
    if (place === undefined) continue;
    if (note.file !== file) {
      wrong.push(`${note.text} belongs to ${note.file} and is in ${file}`);
      continue;
    }
    let above = place - 1;
    while (above >= 0 && !ANCHOR.test(lines[above] ?? '')) above--;
    if (lines[above] !== note.anchor) wrong.push(`${note.text} in ${file} is below “${lines[above] ?? ''}”, was put below “${note.anchor}”`);
  }
  return wrong;
}

/// The notes that a text holds, in order.
export const notesIn = (text: string): string[] => text.split('\n').filter(line => NOTE.test(line));

/// The text without the lines that are a beginning of the note: it was being typed.
export const withoutBeginning = (text: string, note: string): string =>
  text.split('\n').filter(line => !note.startsWith(line.trim())).join('\n');
