/* help.js - the keys, in a dialog that `?` opens. */
import { make, onKey } from './dom.js';

const KEYS = [
    ['W  S', 'zoom in, out'],
    ['A  D', 'move to the left, to the right'],
    ['Ctrl + wheel', 'zoom at the pointer; the wheel alone moves up and down'],
    ['Drag', 'select a stretch; with Shift, move; in the strip above, choose what is shown'],
    ['F', 'fit what is selected or chosen into the view; all of it if nothing is'],
    ['[  ]', 'the problem before, the next problem'],
    ['M', 'set a cursor; a second one shows the time between the two'],
    ['/', 'choose events by an expression'],
    ['Tab  Shift + Tab', 'the next control, the one before'],
    ['Arrow keys', 'within rows of the picture, lists and tabs; Home and End to the ends'],
    ['Enter', 'open what is chosen: the view moves there'],
    ['Escape', 'go back one step: dialog, what is chosen, selection'],
    ['?', 'this list'],
];

/** @param {string} text keys, with two blanks between them */
function keysOf(text) {
    return make('dt', {}, ...text.split('  ').flatMap((key, i) => [i > 0 ? ' ' : '', make('kbd', {}, key)]));
}

/** Make the dialog, which the key and a button of the toolbar open. */
export function newHelp() {
    const close = make('button', { type: 'button', onclick: () => dialog.close() }, 'Close');
    const list = make('dl', { class: 'keys' }, ...KEYS.flatMap(([keys, what]) => [keysOf(keys), make('dd', {}, what)]));
    const title = make('h2', { id: 'help-title' }, 'Keys');
    const dialog = /** @type {HTMLDialogElement} */ (
        make('dialog', { class: 'help', 'aria-labelledby': 'help-title' }, title, list, close));
    dialog.addEventListener('keydown', (event) => event.stopPropagation()); /* they are no keys of the page */
    document.body.append(dialog);
    const open = () => dialog.open || dialog.showModal();
    onKey('?', open);
    const about = { type: 'button', 'aria-keyshortcuts': '?', title: 'The keys (?)', onclick: open };
    document.getElementById('tools')?.append(make('button', about, 'Keys'));
}
