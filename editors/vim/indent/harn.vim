" Indentation: an open bracket indents the next line; a closing bracket ends the indentation.
if exists("b:did_indent")
  finish
endif
let b:did_indent = 1

setlocal indentexpr=HarnIndent()
setlocal indentkeys=0},0),0],!^F,o,O
let b:undo_indent = "setlocal indentexpr< indentkeys<"

if exists("*HarnIndent")
  finish
endif

function HarnIndent()
  let above = prevnonblank(v:lnum - 1)
  let line = substitute(getline(above), '\s*//.*$', '', '')
  let opened = line =~# '[{(\[]$\|[{(\[][^{}()\[\]]*->$'
  let closes = getline(v:lnum) =~# '^\s*[})\]]'
  return max([0, indent(above) + (opened - closes) * shiftwidth()])
endfunction
