// Runs in a world of its own: the page's scripts do not see it. See keyboard.go.
globalThis.ambleKeyboard = (() => {
	const elements = [], numbers = new Map();
	const names = ['display', 'visibility', 'opacity', 'position', 'left', 'top', 'width', 'height', 'clip', 'clip-path', 'transform', 'filter', 'color',
		'background-color', 'background-image', 'background-position', 'box-shadow', 'text-shadow', 'text-decoration-line', 'text-decoration-color',
		'text-decoration-thickness', 'font-weight', 'font-style', 'font-size', 'fill', 'stroke', 'stroke-width', 'content'];
	const clear = c => c === 'transparent' || /^rgba\(.*,\s*0\)$/.test(c) || /\/\s*0\)$/.test(c);
	const wait = ms => new Promise(done => setTimeout(done, ms));

	function active() {
		let e = document.activeElement;
		for (let depth = 0; e && depth < 100; depth++) {
			if (e.shadowRoot && e.shadowRoot.activeElement) {
				e = e.shadowRoot.activeElement;
				continue;
			}
			let inner = null;
			try { inner = e.contentDocument; } catch {}
			if (inner && inner.activeElement && inner.activeElement !== inner.body && inner.activeElement !== inner.documentElement) {
				e = inner.activeElement;
				continue;
			}
			break;
		}
		return !e || e === document.body && !e.isContentEditable && !e.hasAttribute('tabindex') || e === document.documentElement ? null : e;
	}

	// What of an element can be seen and may change with the focus. Lines that are not drawn are left out.
	function style(e, pseudo) {
		const s = e.ownerDocument.defaultView.getComputedStyle(e, pseudo);
		if (pseudo && s.content === 'none') return {};
		const out = {};
		for (const n of names) out[n] = s.getPropertyValue(n);
		if (clear(out['background-color'])) out['background-color'] = '';
		for (const side of ['outline', 'border-top', 'border-right', 'border-bottom', 'border-left']) {
			const kind = s.getPropertyValue(side + '-style'), width = s.getPropertyValue(side + '-width'), colour = s.getPropertyValue(side + '-color');
			if (kind !== 'none' && kind !== 'hidden' && parseFloat(width) > 0 && !(clear(colour) && kind !== 'auto')) out[side + '-style'] = kind + ' ' + width + ' ' + colour;
		}
		return out;
	}

	// The element itself shows nothing.
	function unseen(e) {
		const box = e.getBoundingClientRect();
		if (box.width <= 1 || box.height <= 1 || box.right <= 0) return true;
		for (let a = e, depth = 0; a && a.nodeType === 1 && depth < 200; a = a.assignedSlot || a.parentNode && (a.parentNode.host || a.parentNode), depth++) {
			const s = a.ownerDocument.defaultView.getComputedStyle(a);
			if (s.opacity === '0' || s.visibility === 'hidden' && a === e || a === e && /inset\((50|100)%/.test(s.clipPath)) return true;
		}
		return false;
	}

	// The elements that usually show the focus of one: itself, those around, beside and in it, its labels.
	function print(e) {
		const near = [];
		if (!unseen(e)) near.push(e);
		for (let a = e.parentElement, i = 0; a && i < 4 && a !== a.ownerDocument.body; a = a.parentElement, i++) near.push(a);
		for (const s of [e.previousElementSibling, e.nextElementSibling, e.nextElementSibling && e.nextElementSibling.nextElementSibling, ...(e.labels || [])]) if (s) near.push(s);
		for (let i = 0; i < e.children.length && i < 10; i++) near.push(e.children[i]);
		return near.map(n => [style(n), style(n, '::before'), style(n, '::after')]);
	}

	function difference(a, b) {
		if (a.length !== b.length) return 'display';
		for (let i = 0; i < a.length; i++)
			for (let k = 0; k < 3; k++)
				for (const n of new Set([...Object.keys(a[i][k]), ...Object.keys(b[i][k])]))
					if (a[i][k][n] !== b[i][k][n]) return n;
		return '';
	}

	function caret(e) {
		const text = e.isContentEditable || e.tagName === 'TEXTAREA' || e.tagName === 'INPUT' && /^(text|search|url|tel|email|password|number)$/.test(e.type);
		return text && !e.readOnly && !unseen(e) && !clear(e.ownerDocument.defaultView.getComputedStyle(e).caretColor);
	}

	const opaque = e => e.tagName.includes('-') || /^(IFRAME|FRAME|OBJECT|EMBED|VIDEO|AUDIO)$/i.test(e.tagName) ||
		e.tagName === 'INPUT' && /^(date|datetime-local|month|time|week)$/.test(e.type);

	let last = null, shown = null;
	return {
		elements,
		async look(ms) {
			await wait(ms);
			const e = active(), out = {At: -1, Has: document.hasFocus(), Caret: false, Opaque: false, Changed: '', Compare: false};
			if (last && last !== e && shown && last.isConnected) {
				out.Compare = true;
				out.Changed = difference(shown, print(last));
			}
			if (e) {
				if (!numbers.has(e)) {
					numbers.set(e, elements.length);
					elements.push(e);
				}
				out.At = numbers.get(e);
				out.Caret = caret(e);
				out.Opaque = opaque(e);
				if (e !== last) shown = print(e);
			}
			last = e;
			return out;
		},
		async hold(i, ms) {
			const e = elements[i];
			if (!e || !e.isConnected) return false;
			if (active()) active().blur();
			e.focus({focusVisible: true});
			await wait(ms);
			return active() === e;
		},
		async free(i, ms) {
			elements[i].blur();
			await wait(ms);
			return active() === null;
		},
	};
})();
0;
