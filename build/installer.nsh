; The app claims portico: links at each start; they lead nowhere once it is gone.
!macro customUnInstall
  ${ifNot} ${isUpdated}
    DeleteRegKey HKCU "Software\Classes\portico"
  ${endIf}
!macroend
