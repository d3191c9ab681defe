" Settings for harnlite programs.
if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1

setlocal commentstring=//\ %s
setlocal comments=s1:/*,mb:*,ex:*/,:///,://
setlocal formatoptions-=t formatoptions+=croql
setlocal expandtab shiftwidth=2 softtabstop=2
setlocal suffixesadd=.harn
" gq formats with the formatter; :make fills the quickfix list with the findings of the linter.
setlocal formatprg=harnlite\ fmt\ --quiet\ -
setlocal makeprg=harnlite\ lint\ --quiet\ --format\ concise\ %:S
setlocal errorformat=%f:%l:%c:\ %trror%m,%f:%l:%c:\ %tarning%m,%f:%l:%c:\ %tnfo%m

let b:undo_ftplugin = "setlocal commentstring< comments< formatoptions< expandtab< shiftwidth< softtabstop<"
      \ . " suffixesadd< formatprg< makeprg< errorformat<"
